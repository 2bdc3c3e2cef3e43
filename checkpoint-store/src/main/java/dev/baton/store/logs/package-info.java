/** Runs' logs: chunks of lines as objects, and the pages that are read of them. */
@NullMarked
package dev.baton.store.logs;

import org.jspecify.annotations.NullMarked;
