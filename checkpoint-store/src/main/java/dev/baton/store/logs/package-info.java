/** Logs of runs: stores chunks of lines as objects and reads them in pages. */
@NullMarked
package dev.baton.store.logs;

import org.jspecify.annotations.NullMarked;
