/** Settings of the runner from its environment, validated before other components start. */
@NullMarked
package dev.baton.runner.config;

import org.jspecify.annotations.NullMarked;
