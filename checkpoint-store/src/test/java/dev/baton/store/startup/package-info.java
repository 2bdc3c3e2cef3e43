@NullMarked
package dev.baton.store.startup;

import org.jspecify.annotations.NullMarked;
