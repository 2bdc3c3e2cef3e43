/** The configuration of the checkpoint-store, validated at start. */
@NullMarked
package dev.baton.store.config;

import org.jspecify.annotations.NullMarked;
