/** Creates, lists, reads, pauses, resumes and cancels runs. */
@NullMarked
package dev.baton.orchestrator.runs;

import org.jspecify.annotations.NullMarked;
