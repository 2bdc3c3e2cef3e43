@NullMarked
package dev.baton.store.retention;

import org.jspecify.annotations.NullMarked;
