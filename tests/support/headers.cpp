// A library needs a source; what counts here are its precompiled headers.
