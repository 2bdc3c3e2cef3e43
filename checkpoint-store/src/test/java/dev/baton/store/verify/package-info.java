@NullMarked
package dev.baton.store.verify;

import org.jspecify.annotations.NullMarked;
