/** Verifies uploaded objects, and again those verified long ago, and reports what is wrong. */
@NullMarked
package dev.baton.store.verify;

import org.jspecify.annotations.NullMarked;
