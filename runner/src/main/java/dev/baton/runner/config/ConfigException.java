/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.config;

/** A setting is missing or wrong. The message names the key, the value and what is allowed. */
public final class ConfigException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param message names the key and what is allowed
   */
  public ConfigException(String message) {
    super(message);
  }

  public ConfigException(String key, String value, String allowed) {
    super(key + " is '" + value + "'; allowed: " + allowed);
  }
}
