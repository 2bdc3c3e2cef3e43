/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent;

import java.nio.file.Path;

/**
 * The folders of one agent step.
 *
 * @param workspace the working directory of the agent; absolute
 * @param home below which all files of the agent are: configuration, data, temporary files;
 *     absolute, created by the driver where absent, outside of the workspace
 */
public record AgentFolders(Path workspace, Path home) {
  public AgentFolders {
    if (!workspace.isAbsolute() || !home.isAbsolute()) {
      throw new IllegalArgumentException("folders of an agent must be absolute");
    }
  }
}
