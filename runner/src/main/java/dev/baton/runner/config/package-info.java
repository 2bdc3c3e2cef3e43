/** What the runner is told by its environment, checked before anything starts. */
@NullMarked
package dev.baton.runner.config;

import org.jspecify.annotations.NullMarked;
