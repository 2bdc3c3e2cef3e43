/** Runner processes: started, watched, killed with everything they left behind. */
@NullMarked
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.NullMarked;
