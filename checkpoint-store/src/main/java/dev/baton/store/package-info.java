@NullMarked
package dev.baton.store;

import org.jspecify.annotations.NullMarked;
