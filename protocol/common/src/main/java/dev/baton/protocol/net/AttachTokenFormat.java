/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.net;

import java.util.regex.Pattern;

/**
 * Defines the text of attach tokens. A runner sends its token in the metadata of {@code Attach}, as
 * a {@link BearerCredential}. Thread-safe.
 */
public final class AttachTokenFormat {
  /** What a token must be, for error messages. */
  public static final String ALLOWED = "16 to 512 visible ASCII characters without spaces";

  private static final Pattern TOKEN = Pattern.compile("[\\x21-\\x7e]{16,512}");

  private AttachTokenFormat() {}

  public static boolean isValid(String token) {
    return TOKEN.matcher(token).matches();
  }
}
