// Names that Emscripten looks for in JavaScript. The pass ASYNCIFY has put its own code in their place by then: nothing calls these.
mergeInto(LibraryManager.library, {
  start_unwind: function() { abort('start_unwind: the pass ASYNCIFY has not run'); },
  stop_unwind: function() { abort('stop_unwind: the pass ASYNCIFY has not run'); },
  start_rewind: function() { abort('start_rewind: the pass ASYNCIFY has not run'); },
  stop_rewind: function() { abort('stop_rewind: the pass ASYNCIFY has not run'); }
});
