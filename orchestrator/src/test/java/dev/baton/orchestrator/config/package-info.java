/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.config;

import org.jspecify.annotations.NullMarked;
