/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.List;

/**
 * A step that ends with a commit of the workspace's repository, once it has been verified.
 *
 * @param title for people
 * @param verify shell commands, run one after the other in the workspace; the first that does not
 *     end with 0 fails the attempt
 */
public record MilestoneSettings(String title, VerificationTier tier, List<String> verify) {
  /** Commands of one milestone. */
  public static final int MAX_COMMANDS = 100;

  /** Characters of one command. */
  public static final int MAX_COMMAND = 64 * 1024;

  public MilestoneSettings {
    verify = List.copyOf(verify);
  }
}
