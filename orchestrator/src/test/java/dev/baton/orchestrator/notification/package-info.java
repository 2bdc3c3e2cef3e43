/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.notification;

import org.jspecify.annotations.NullMarked;
