@NullMarked
package dev.baton.store.checkpoints;

import org.jspecify.annotations.NullMarked;
