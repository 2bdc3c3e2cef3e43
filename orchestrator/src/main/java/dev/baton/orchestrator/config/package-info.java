/** The service's settings, checked at start. */
@NullMarked
package dev.baton.orchestrator.config;

import org.jspecify.annotations.NullMarked;
