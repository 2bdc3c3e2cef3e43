/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.engine;

import dev.baton.protocol.manifest.Trigger;
import dev.baton.protocol.trace.Cut;
import dev.baton.protocol.trace.RunId;
import dev.baton.protocol.trace.TraceEvent;
import dev.baton.runner.capture.Saved;
import dev.baton.runner.capture.Workspace;
import org.jspecify.annotations.Nullable;

/** Makes a checkpoint and tells of it on the trace, also when it failed. */
final class SavedCheckpoint {
  private SavedCheckpoint() {}

  /**
   * @param step its path; null for the whole run
   * @param visit of the step; null with it
   * @param evenIfUnchanged since the newest checkpoint
   */
  static Saved make(
      RunContext run,
      Workspace workspace,
      Trigger trigger,
      @Nullable String step,
      @Nullable Integer visit,
      boolean evenIfUnchanged)
      throws InterruptedException {
    return make(run, workspace, RunId.next(), trigger, step, visit, evenIfUnchanged);
  }

  static Saved make(
      RunContext run,
      Workspace workspace,
      String id,
      Trigger trigger,
      @Nullable String step,
      @Nullable Integer visit,
      boolean evenIfUnchanged)
      throws InterruptedException {
    Saved saved =
        workspace.capture(id, run.checkpoints().describe(trigger, step, visit), evenIfUnchanged);
    switch (saved) {
      case Saved.Made(Cut cut) ->
          run.append(new TraceEvent.CheckpointSaved(id, step, trigger.word(), cut, null, null));
      case Saved.Failed(String reason) ->
          run.append(new TraceEvent.CheckpointSaved(id, step, trigger.word(), null, reason, null));
      case Saved.Unchanged unchanged -> {}
    }
    return saved;
  }
}
