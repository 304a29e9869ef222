// Thumbnails of the scene browser as OpenGL textures.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/browser/thumbnail_store.h"
#include "app/render/gl/gl_objects.h"
#include "app/ui/panels/panels.h"

namespace perturb {

// Needs a current GL context, and must be destroyed before it.
class GlThumbnailTextures final : public ThumbnailTextures {
 public:
  GlThumbnailTextures() : store_(thumbnails_folder()) {}
  // Uploads finished thumbnails; call once per frame, not while the panels are drawn.
  void upload_new();
  std::uintptr_t texture_for(const std::string& scene) override;

 private:
  ThumbnailStore store_;
  std::map<std::string, GlTexture> textures_;
};

}  // namespace perturb
