/** What the store's tests share: real servers, and a writer of traces. */
@NullMarked
package dev.baton.store.testing;

import org.jspecify.annotations.NullMarked;
