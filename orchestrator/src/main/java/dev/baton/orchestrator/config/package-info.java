/** The service's settings, validated at startup. */
@NullMarked
package dev.baton.orchestrator.config;

import org.jspecify.annotations.NullMarked;
