#include "app/window/window_images.h"

#include <span>

#include "app/io/image/png_codec.h"
#include "cuda/core/backend/check.h"
#include "cuda/core/simulation/embedded.h"

namespace perturb {

std::span<const EmbeddedFile> embedded_icon();

Picture window_icon() {
  Picture picture;
  if (!read_color_png(embedded_icon().front().text, picture)) throw Error("internal: the icon is not an image");
  return picture;
}

void GlThumbnailTextures::upload_new() {
  for (const auto& [scene, picture] : store_.take()) {
    GlTexture texture = GlTexture::make();
    GLint before = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &before);
    glBindTexture(GL_TEXTURE_2D, texture.name());
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, picture.width, picture.height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
                 picture.pixels.data());
    glGenerateMipmap(GL_TEXTURE_2D);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(before));
    textures_[scene] = std::move(texture);
  }
}

std::uintptr_t GlThumbnailTextures::texture_for(const std::string& scene) {
  const auto found = textures_.find(scene);
  if (found != textures_.end()) return found->second.name();
  store_.request(scene);
  return 0;
}

}  // namespace perturb
