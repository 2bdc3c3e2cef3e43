/** Client of the orchestrator's REST API. */
@NullMarked
package dev.baton.cli.client;

import org.jspecify.annotations.NullMarked;
