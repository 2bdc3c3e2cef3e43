/** Reads what was uploaded, and what was verified long ago, and says what is wrong with it. */
@NullMarked
package dev.baton.store.verify;

import org.jspecify.annotations.NullMarked;
