/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.config;

import org.jspecify.annotations.NullMarked;
