/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Hosts that programs of a sandbox may connect to through its proxy: {@code name}, {@code *.domain}
 * for each name below a domain, or {@code *} for all, with an optional {@code :port}.
 *
 * @param name in lower case; the domain where {@code isBelow}; empty for all hosts
 * @param isBelow whether it stands for the names below the domain, but not for the domain itself
 * @param port the only one; the ports of HTTP and HTTPS where empty
 */
public record SandboxHost(String name, boolean isBelow, OptionalInt port) {
  /** What {@link #parse} accepts. */
  public static final String ALLOWED =
      "a host such as pypi.org, *.pypi.org for all below it, or * for all, each with an optional"
          + " :port";

  /** All hosts, on the ports of HTTP and HTTPS. */
  public static final SandboxHost ALL = new SandboxHost("", true, OptionalInt.empty());

  private static final Pattern TEXT =
      Pattern.compile(
          "(\\*|(\\*\\.)?([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
              + "(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*))(:([0-9]{1,5}))?");
  private static final int MAX_NAME = 253;
  private static final int MAX_PORT = 65_535;
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** Returns the hosts that a text describes; empty if it is none of {@link #ALLOWED}. */
  public static Optional<SandboxHost> parse(String text) {
    if (text.length() > MAX_NAME) {
      return Optional.empty();
    }
    Matcher parts = TEXT.matcher(text.toLowerCase(Locale.ROOT));
    if (!parts.matches()) {
      return Optional.empty();
    }
    OptionalInt port =
        parts.group(8) == null
            ? OptionalInt.empty()
            : OptionalInt.of(Integer.parseInt(parts.group(8)));
    if (port.isPresent() && (port.getAsInt() < 1 || port.getAsInt() > MAX_PORT)) {
      return Optional.empty();
    }
    boolean isAll = parts.group(3) == null;
    return Optional.of(
        new SandboxHost(isAll ? "" : parts.group(3), isAll || parts.group(2) != null, port));
  }

  /**
   * Whether it contains a host and a port.
   *
   * @param host in any case, without a dot at its end
   */
  public boolean contains(String host, int of) {
    String lower = host.toLowerCase(Locale.ROOT);
    boolean isNamed = name.isEmpty() || (isBelow ? lower.endsWith("." + name) : lower.equals(name));
    return isNamed && (port.isPresent() ? port.getAsInt() == of : of == HTTP || of == HTTPS);
  }

  /** Returns it as definitions and settings spell it. */
  @Override
  public String toString() {
    String host = name.isEmpty() ? "*" : isBelow ? "*." + name : name;
    return port.isPresent() ? host + ":" + port.getAsInt() : host;
  }
}
