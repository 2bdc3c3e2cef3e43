/**
 * Places runs on runners: chooses launchers and pools, starts runners by them, keeps idle ones
 * ready, and uses launchers only through their port.
 */
@NullMarked
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.NullMarked;
