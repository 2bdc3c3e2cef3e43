/** Records the sizes of topics, which may grow at any time. */
@NullMarked
package dev.baton.orchestrator.topics;

import org.jspecify.annotations.NullMarked;
