// The scene browser's small pictures in OpenGL's hands.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/browser/thumbnail_store.h"
#include "app/render/gl/gl_objects.h"
#include "app/ui/panels/panels.h"

namespace perturb {

// Needs the GL context current, and ends before it.
class GlThumbnailTextures final : public ThumbnailTextures {
 public:
  GlThumbnailTextures() : store_(thumbnails_folder()) {}
  // Takes in those that have come; once a frame, outside of the panels' drawing.
  void upload_new();
  std::uintptr_t texture_for(const std::string& scene) override;

 private:
  ThumbnailStore store_;
  std::map<std::string, GlTexture> textures_;
};

}  // namespace perturb
