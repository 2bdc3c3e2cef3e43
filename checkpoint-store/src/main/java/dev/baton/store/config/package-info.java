/** What the checkpoint-store is told, checked at start. */
@NullMarked
package dev.baton.store.config;

import org.jspecify.annotations.NullMarked;
