@NullMarked
package dev.baton.orchestrator;

import org.jspecify.annotations.NullMarked;
