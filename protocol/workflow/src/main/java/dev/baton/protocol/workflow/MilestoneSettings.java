/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;

/**
 * Commits the workspace's repository at the end of a step, once the verification commands have
 * passed.
 *
 * @param title for people
 * @param verify shell commands, run in order in the workspace; the first one with an exit code
 *     other than 0 fails the attempt
 */
public record MilestoneSettings(String title, VerificationTier tier, List<String> verify) {
  /** Maximum number of commands of a milestone. */
  public static final int MAX_COMMANDS = 100;

  /** Maximum characters of a command. */
  public static final int MAX_COMMAND = 64 * 1024;

  public MilestoneSettings {
    verify = List.copyOf(verify);
  }
}
