# Where everything goes, and how CPack packs it: `scripts/package.sh` makes the packages. The program finds its assets in
# ../share/lockstep (app/platform/paths.cpp). What another part of the project makes is taken where it is there: the manual
# page docs/lockstep.1 and completions in docs/completion.
include(GNUInstallDirs)

install(TARGETS lockstep RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

# The files themselves: the build folder has links to them.
set(installed_assets ${CMAKE_INSTALL_DATADIR}/lockstep)
install(DIRECTORY assets/ DESTINATION ${installed_assets} PATTERN locale EXCLUDE)
install(DIRECTORY ${CMAKE_BINARY_DIR}/assets/locale/ DESTINATION ${installed_assets}/locale FILES_MATCHING PATTERN "*.mo")

install(FILES packaging/lockstep.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications)
install(FILES packaging/lockstep.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps)
install(FILES docs/exercises.md docs/CHANGELOG.md packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES docs/lockstep.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL)
install(FILES docs/completion/lockstep.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME lockstep
  OPTIONAL)
install(FILES docs/completion/lockstep.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _lockstep OPTIONAL)
install(FILES docs/completion/lockstep.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)

if(LOCKSTEP_PORTABLE)
  install(DIRECTORY ${LOCKSTEP_PORTABLE}/lib/x11 ${LOCKSTEP_PORTABLE}/lib/wayland DESTINATION lib/lockstep)
  install(PROGRAMS packaging/desktop.sh DESTINATION .)
  # Fonts come from packages elsewhere (scripts/packages.txt), and from the folder of assets here.
  install(FILES
    /usr/share/fonts/opentype/inter/Inter-Regular.otf /usr/share/fonts/opentype/inter/Inter-SemiBold.otf
    /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf
    /usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-SemiBold.ttf
    /usr/share/fonts/truetype/wqy/wqy-microhei.ttc DESTINATION ${installed_assets}/fonts)
endif()

# The licences of what is inside the program: what is compiled into it everywhere, and what only the portable one holds.
set(inside libimgui-dev libstb-dev python3-glad nlohmann-json3-dev libcli11-dev libboost${Boost_VERSION_MAJOR}.${Boost_VERSION_MINOR}-dev)
if(LOCKSTEP_PORTABLE)
  list(APPEND inside libfreetype-dev libcairo2-dev libpixman-1-dev libfontconfig-dev libexpat1-dev libpng-dev zlib1g-dev
    libbrotli-dev libharfbuzz-dev libzip-dev libuv1-dev libmd4c-dev nettle-dev libglfw3 libstdc++-12-dev
    fonts-inter fonts-jetbrains-mono fonts-wqy-microhei)
endif()
foreach(package ${inside})
  install(FILES /usr/share/doc/${package}/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME ${package} OPTIONAL)
endforeach()
if(LOCKSTEP_HAS_CUDA)    # libcudart_static; NVIDIA's installers put it in one of these places
  file(REAL_PATH ${CUDAToolkit_BIN_DIR}/.. toolkit)
  file(GLOB licence ${toolkit}/EULA.txt ${toolkit}/dist-info/nvidia_cuda_runtime-*/licenses/License.txt
    /usr/share/doc/cuda-cudart-*/copyright)
  if(licence)
    list(GET licence 0 licence)
    install(FILES ${licence} DESTINATION ${CMAKE_INSTALL_DOCDIR}/licences RENAME cuda-runtime)
  else()
    message(WARNING "The licence of CUDA's run-time library was not found in ${toolkit}: packages go without it.")
  endif()
endif()

set(CPACK_PACKAGE_NAME lockstep)
set(CPACK_PACKAGE_VENDOR Lockstep)
set(CPACK_PACKAGE_CONTACT "The Lockstep project <lockstep@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "run CUDA kernels step by step and see where every byte goes")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Lockstep runs real CUDA kernels one step at a time, on an NVIDIA GPU or on a
CPU emulator of the CUDA execution model, and draws what each step does: the
sectors, banks, stalls and bytes. It brings labs with stories and exercises,
recordings of an H200, and runs CUDA programs of your own.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)             # what the program is linked with
# What it opens at run time: OpenGL, Mesa's where no driver brings its own, and the fonts.
set(CPACK_DEBIAN_PACKAGE_DEPENDS
  "libegl1, libgl1, libegl-mesa0, libgl1-mesa-dri, fonts-inter, fonts-jetbrains-mono, fonts-wqy-microhei")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang")       # readers' own programs
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "ffmpeg")        # clips
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
include(CPack)
