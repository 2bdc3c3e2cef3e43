/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.notification;

import org.jspecify.annotations.NullMarked;
