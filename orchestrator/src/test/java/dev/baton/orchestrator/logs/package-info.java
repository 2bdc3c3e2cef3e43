@NullMarked
package dev.baton.orchestrator.logs;

import org.jspecify.annotations.NullMarked;
