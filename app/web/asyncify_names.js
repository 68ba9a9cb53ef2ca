// Names that Emscripten looks for in JavaScript. The pass ASYNCIFY has put its own code in their place by then: nothing calls these.
mergeInto(LibraryManager.library, {
  start_unwind: function() {},
  stop_unwind: function() {},
  start_rewind: function() {},
  stop_rewind: function() {}
});
