// Images that the window shows besides the run: its icon and the thumbnails of scenes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "app/browser/thumbnails.h"
#include "app/render/gl/gl_objects.h"
#include "app/ui/panels/panels.h"
#include "cuda/core/paint/pixels.h"

namespace perturb {

// The icon of the window on the desktop, as installed (assets/icon.png).
Picture window_icon();

// Thumbnails of the scene browser as OpenGL textures. Needs a current GL context, and must be destroyed before it.
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
