#include "offscreen.hpp"

#include <backends/imgui_impl_opengl3.h>
#include <glad/egl.h>
#include <glad/gl.h>
#include <imgui.h>
#include <stb_image_write.h>

#include <algorithm>
#include <cstring>

#include "app/platform/libraries.hpp"
#include "grid_renderer.hpp"

namespace lockstep {
namespace {

// libEGL is opened at run time: without it everything but pictures works.
GLADapiproc egl_symbol(void* opened, const char* name) {
  const auto& library = *static_cast<const Library*>(opened);
  if (auto* symbol = reinterpret_cast<GLADapiproc>(library.find(name))) return symbol;
  GLADapiproc (*get)(const char*) = nullptr;
  library.find("eglGetProcAddress", get);
  return get ? get(name) : nullptr;
}

class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context() {
    if (display_ == EGL_NO_DISPLAY) return;
    eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (context_ != EGL_NO_CONTEXT) eglDestroyContext(display_, context_);
    // The display stays: terminating it would unload the driver, and the next picture would load it again.
  }

  Status open() {
    Library library = Library::open("libEGL.so.1");
    if (!library)
      return unavailable(
          "pictures need libEGL.so.1, which is not there: install libegl1 and libegl-mesa0, or save an .svg",
          {});
    if (!gladLoadEGLUserPtr(
            EGL_NO_DISPLAY, [](void* l, const char* n) { return egl_symbol(l, n); }, &library))
      return unavailable("libEGL.so.1 is damaged or too old: save an .svg instead", {});
    if (try_devices() || try_surfaceless()) return Unit{};
    return unavailable("no EGL device gives an OpenGL 3.3 context: install libgl1-mesa-dri, or save an .svg",
                       {});
  }

 private:
  // Real GPUs first; software devices are left to the surfaceless platform.
  bool try_devices() {
    if (!eglQueryDevicesEXT || !eglGetPlatformDisplayEXT) return false;
    EGLDeviceEXT devices[16];
    EGLint count = 0;
    if (!eglQueryDevicesEXT(16, devices, &count)) return false;
    for (EGLint i = 0; i < count; ++i) {
      const char* extensions =
          eglQueryDeviceStringEXT ? eglQueryDeviceStringEXT(devices[i], EGL_EXTENSIONS) : nullptr;
      if (!extensions || std::strstr(extensions, "software") || !std::strstr(extensions, "NV")) continue;
      if (make_current(eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr))) return true;
    }
    return false;
  }
  bool try_surfaceless() {
    if (eglGetPlatformDisplay)
      return make_current(eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    if (!eglGetPlatformDisplayEXT) return false;
    return make_current(
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
  }
  bool make_current(EGLDisplay display) {
    EGLint major = 0, minor = 0;
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, &major, &minor)) return false;
    gladLoadEGLUserPtr(
        display, [](void*, const char* n) { return eglGetProcAddress(n); }, nullptr);
    eglBindAPI(EGL_OPENGL_API);
    for (const EGLint minor_version : {5, 3}) {
      const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                   minor_version == 5 ? 4 : 3,
                                   EGL_CONTEXT_MINOR_VERSION,
                                   minor_version == 5 ? 3 : 3,
                                   EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                   EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                   EGL_NONE};
      const EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
      if (context == EGL_NO_CONTEXT) continue;
      if (eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context) &&
          gladLoadGL(reinterpret_cast<GLADloadfunc>(eglGetProcAddress))) {
        display_ = display, context_ = context;
        return true;
      }
      eglDestroyContext(display, context);
    }
    eglTerminate(display);
    return false;
  }

  EGLDisplay display_ = EGL_NO_DISPLAY;
  EGLContext context_ = EGL_NO_CONTEXT;
};

// A colour buffer to draw into.
class Target {
 public:
  Target(int width, int height) {
    glGenFramebuffers(1, &framebuffer_);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    glGenRenderbuffers(1, &color_);
    glBindRenderbuffer(GL_RENDERBUFFER, color_);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, color_);
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, 1);
    glClear(GL_COLOR_BUFFER_BIT);
  }
  ~Target() { glDeleteRenderbuffers(1, &color_), glDeleteFramebuffers(1, &framebuffer_); }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  bool complete() const { return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE; }

 private:
  GLuint framebuffer_ = 0, color_ = 0;
};

Image read_back(int width, int height) {
  Image image{width, height, std::vector<std::uint8_t>(std::size_t(width) * std::size_t(height) * 4),
              reinterpret_cast<const char*>(glGetString(GL_RENDERER))};
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  const std::size_t row = std::size_t(width) * 4;  // GL's rows start at the bottom
  for (int y = 0; y < height / 2; ++y)
    std::swap_ranges(image.rgba.begin() + std::ptrdiff_t(row * std::size_t(y)),
                     image.rgba.begin() + std::ptrdiff_t(row * std::size_t(y + 1)),
                     image.rgba.begin() + std::ptrdiff_t(row * std::size_t(height - 1 - y)));
  for (std::size_t i = 3; i < image.rgba.size(); i += 4) image.rgba[i] = 255;
  return image;
}

}  // namespace

Result<Image> render_offscreen(int width, int height, const std::function<void()>& prepare,
                               const std::function<void(GridRenderer&)>& draw) {
  Context context;
  if (Status opened = context.open(); !opened) return opened.error();
  GLint largest = 0;
  glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
  if (width > largest || height > largest)
    return bad_input("a picture of {0} x {1} pixels is too large: this renderer makes at most {2} x {2}",
                     {std::to_string(width), std::to_string(height), std::to_string(largest)});
  Target target(width, height);
  if (!target.complete())
    return unavailable("the renderer cannot make a picture of {0} x {1} pixels",
                       {std::to_string(width), std::to_string(height)});
  ImGuiContext* previous = ImGui::GetCurrentContext();
  ImGuiContext* imgui = ImGui::CreateContext();
  ImGui::SetCurrentContext(imgui);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.DisplaySize = {float(width), float(height)};
  io.DeltaTime = 1.f / 60;
  prepare();
  ImGui_ImplOpenGL3_Init("#version 330 core");
  Image image;
  {
    GridRenderer grids;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
    draw(grids);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    glFinish();
    image = read_back(width, height);
  }
  ImGui_ImplOpenGL3_Shutdown();
  ImGui::DestroyContext(imgui);
  ImGui::SetCurrentContext(previous);
  return image;
}

Result<std::vector<std::uint8_t>> encode_png(const Image& image) {
  std::vector<std::uint8_t> bytes;
  const auto append = [](void* out, void* data, int size) {
    auto* b = static_cast<std::uint8_t*>(data);
    static_cast<std::vector<std::uint8_t>*>(out)->insert(static_cast<std::vector<std::uint8_t>*>(out)->end(),
                                                         b, b + size);
  };
  if (!stbi_write_png_to_func(append, &bytes, image.width, image.height, 4, image.rgba.data(),
                              image.width * 4))
    return bad_input("the picture of {0} x {1} pixels could not be encoded as PNG",
                     {std::to_string(image.width), std::to_string(image.height)});
  return bytes;
}

Result<std::string> offscreen_renderer() {
  Context context;
  if (Status opened = context.open(); !opened) return opened.error();
  return std::string(reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
}

}  // namespace lockstep
