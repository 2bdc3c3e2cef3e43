/**
 * The checkpoint-store: stores the complete trace and serves the state that a runner resumes from.
 */
@NullMarked
package dev.baton.store;

import org.jspecify.annotations.NullMarked;
