/** Shared by the store's tests: real servers, and a builder of traces. */
@NullMarked
package dev.baton.store.testing;

import org.jspecify.annotations.NullMarked;
