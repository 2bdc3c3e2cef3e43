/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.launcher.kubernetes;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An object of the pods' namespace whose keys are files in runners, for reading only. Kubernetes
 * updates the files when the object changes. A pod starts only when the object exists.
 *
 * @param name of the object
 * @param path of the folder with the files
 */
public record PodVolume(Kind kind, String name, String path) {
  /** What {@link #parse} accepts: {@code secret:NAME:/path} or {@code config-map:NAME:/path}. */
  public static final Pattern TEXT =
      Pattern.compile(
          "(secret|config-map):([a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?)"
              // Folders in which runners write are no place for it.
              + ":(?!/(work|tmp|home|proc|sys|dev)(/|$))((/[A-Za-z0-9_][A-Za-z0-9._-]*)+)");

  /** The kind of the object. */
  public enum Kind {
    SECRET,
    CONFIG_MAP
  }

  /**
   * @throws IllegalArgumentException when the text does not match {@link #TEXT}
   */
  public static PodVolume parse(String text) {
    Matcher parts = TEXT.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a volume; allowed: secret:NAME:/path or config-map:NAME:/path");
    }
    Kind kind = Kind.valueOf(parts.group(1).replace('-', '_').toUpperCase(Locale.ROOT));
    return new PodVolume(kind, parts.group(2), parts.group(6));
  }
}
