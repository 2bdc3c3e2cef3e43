/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone.sidecar;

import dev.baton.fuzz.FuzzAssert;
import dev.baton.fuzz.TextInput;
import dev.baton.milestone.MilestoneMessageCodec;

/** Sidecars and commit messages of milestones. */
public final class MilestoneFuzzer {
  private static final String SHA = "0".repeat(40);

  private MilestoneFuzzer() {}

  public static void milestone(byte[] input) {
    MilestoneMessageCodec.index("baton", "01run", TextInput.text(input));
    MilestoneMessageCodec.unnamedIndex(TextInput.text(input));
    MilestoneMessageCodec.lists("01run", 3, TextInput.text(input));
    MilestoneSidecar sidecar;
    try {
      sidecar = SidecarCodec.read(input, SHA);
    } catch (IllegalArgumentException rejected) {
      return;
    }
    FuzzAssert.same(sidecar, SidecarCodec.read(SidecarCodec.write(sidecar), SHA));
  }
}
