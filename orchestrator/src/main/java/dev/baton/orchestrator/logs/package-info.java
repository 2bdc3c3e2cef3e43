/** What steps wrote, read back from the log topic. */
@NullMarked
package dev.baton.orchestrator.logs;

import org.jspecify.annotations.NullMarked;
