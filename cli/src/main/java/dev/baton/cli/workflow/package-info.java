/** Commands about workflow definitions. */
@NullMarked
package dev.baton.cli.workflow;

import org.jspecify.annotations.NullMarked;
