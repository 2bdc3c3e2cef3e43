/** The orchestrator's REST API as this program uses it. */
@NullMarked
package dev.baton.cli.client;

import org.jspecify.annotations.NullMarked;
