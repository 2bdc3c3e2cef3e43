/** Questions to people and their answers, each given once. */
@NullMarked
package dev.baton.orchestrator.approvals;

import org.jspecify.annotations.NullMarked;
