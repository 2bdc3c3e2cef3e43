@NullMarked
package dev.baton.store.gc;

import org.jspecify.annotations.NullMarked;
