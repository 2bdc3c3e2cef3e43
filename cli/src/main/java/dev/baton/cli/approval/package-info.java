/** Commands that answer approvals. */
@NullMarked
package dev.baton.cli.approval;

import org.jspecify.annotations.NullMarked;
