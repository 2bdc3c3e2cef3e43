/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.trace;

import org.jspecify.annotations.Nullable;

/**
 * What became of a process in the background when its agent was resumed.
 *
 * @param command its words, joined by spaces, without secrets, shortened
 * @param folder its working folder: relative to the workspace if it is in it, else absolute
 * @param outcome {@code ended}: with the agent; {@code started}: again, in the same folder; {@code
 *     failed}: it cannot be started again
 * @param reason why it cannot be started again; null otherwise
 * @param log path of its output, absolute; null where it was not started again
 */
public record BackgroundOutcome(
    String command, String folder, String outcome, @Nullable String reason, @Nullable String log) {}
