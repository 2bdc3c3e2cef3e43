/** What the system has to do meanwhile, by whom it is asked, and who looks on. */
@NullMarked
package dev.baton.chaos.workload;

import org.jspecify.annotations.NullMarked;
