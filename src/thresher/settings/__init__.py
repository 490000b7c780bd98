"""The settings of a crawl: flag over file over default; an unknown name is refused with the nearest one."""
